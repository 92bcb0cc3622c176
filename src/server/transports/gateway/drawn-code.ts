/** The largest drawing that is taken for a code, in characters: a real one has about 10 000. */
const LARGEST = 100_000;

/** A PNG begins with these bytes, whatever it shows. */
const PNG = "iVBORw0KGgo";

/**
 * The gateway's own drawing of a QR code as a data URI (`data:image/png;base64,…`, also where it sends the bytes alone), for answers
 * that do not say what the code means. null for whatever is no PNG: what a browser would read as a page of its own stays outside.
 */
export function drawnCode(base64: string | null): string | null {
  if (base64 === null || base64.length > LARGEST) return null;
  const bytes = base64.trim().replace(/^data:image\/png;base64,/, "");
  return bytes.startsWith(PNG) && /^[A-Za-z0-9+/]+={0,2}$/.test(bytes)
    ? `data:image/png;base64,${bytes}`
    : null;
}
