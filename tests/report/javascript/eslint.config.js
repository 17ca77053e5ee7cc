import js from "@eslint/js";

const BROWSER = [
  "document", "navigator", "matchMedia", "getComputedStyle", "requestAnimationFrame", "setTimeout",
  "clearTimeout", "performance", "innerHeight", "addEventListener", "Blob", "URL", "HTMLElement",
  "Node", "ResizeObserver", "TextDecoder", "atob",
];

// Names of columns, categories and titles come from tables that anybody may have written: all of
// them become text, never markup, styles or code.
const MARKUP = "hostile names must stay text: use textContent, createElement and addEventListener";
const FORBIDDEN_SYNTAX = [
  { selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|srcdoc|insertAdjacentHTML|createContextualFragment|parseFromString|setHTMLUnsafe|cssText)$/]", message: MARKUP },
  { selector: "MemberExpression[property.value=/^(innerHTML|outerHTML|srcdoc|insertAdjacentHTML|createContextualFragment|parseFromString|setHTMLUnsafe|cssText)$/]", message: MARKUP },
  { selector: "MemberExpression[object.name='document'][property.name=/^(write|writeln)$/]", message: MARKUP },
  { selector: "CallExpression[callee.property.name=/^setAttribute(NS)?$/] > Literal[value=/^(on|style$|srcdoc$)/i]", message: MARKUP },
  { selector: "ImportExpression, ImportDefaultSpecifier, ImportNamespaceSpecifier, ExportDefaultDeclaration, ExportAllDeclaration", message: "all modules are written into one script: import and export plain names" },
];

const RULES = {
  ...js.configs.recommended.rules,
  eqeqeq: "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-script-url": "error",
  "no-shadow": "error",
  "no-var": "error",
  "prefer-const": "error",
  "no-unused-vars": ["error", { ignoreRestSiblings: true, varsIgnorePattern: "^_" }],
};

const globals = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

export default [
  {
    files: ["**/src/sorb/report/page/**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals(BROWSER) },
    rules: { ...RULES, "no-restricted-syntax": ["error", ...FORBIDDEN_SYNTAX] },
  },
  {
    // What computes knows no page.
    files: ["**/src/sorb/report/page/core/*.js"],
    languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "off"])) },
  },
  {
    files: ["**/tests/report/javascript/**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    rules: RULES,
  },
];
