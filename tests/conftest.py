"""Settings that must be made before the libraries are imported that read them."""

import os

# shap would compile for seconds what takes small tables no time at all.
os.environ["NUMBA_DISABLE_JIT"] = "1"
# Nothing about the tests is anyone's business.
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
