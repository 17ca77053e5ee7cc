"""Options with which a fit takes no time."""

QUICK = ("--max-rules", "2", "--ignore", "patient")
