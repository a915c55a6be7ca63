/* Runs before the first paint so that a chosen theme does not flash; everything else is in workbench.js. */
(() => {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
