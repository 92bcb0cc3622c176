/** Characters; a real one has about 10,000. */
const LARGEST = 100_000;

/** Start of every PNG. */
const PNG = "iVBORw0KGgo";

/**
 * QR code image as data URI (`data:image/png;base64,…`), also from bare base64. Null if no PNG: a browser
 * must not receive another document type.
 */
export function drawnCode(base64: string | null): string | null {
  if (base64 === null || base64.length > LARGEST) return null;
  const bytes = base64.trim().replace(/^data:image\/png;base64,/, "");
  return bytes.startsWith(PNG) && /^[A-Za-z0-9+/]+={0,2}$/.test(bytes)
    ? `data:image/png;base64,${bytes}`
    : null;
}
