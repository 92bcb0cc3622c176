// Runs before the first paint, so that a remembered theme never flashes. The choice is kept by src/web/theme.ts.
try {
  const theme = localStorage.getItem("recado-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's preference then decides.
}
