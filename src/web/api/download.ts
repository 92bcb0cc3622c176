/** Lets the browser download the file: a million rows must not be held in the page's memory. */
export function download(path: string) {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}
