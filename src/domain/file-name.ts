/** Characters refused by file systems, trimmed at name ends, or changing text direction. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|%]+/gu;
/** A system allows 255 bytes, path parts included. */
const LONGEST = 60;

/** `Promoção: 50% / já` → `Promoção 50 já`; may be empty. */
export function fileNamePart(name: string): string {
  const words = name.replace(UNSAFE, " ").replace(/\s+/g, " ");
  return [...words]
    .slice(0, LONGEST)
    .join("")
    .replace(/^[ .]+|[ .]{1,60}$/g, "");
}

export function attachment(fileName: string): string {
  const plain = fileName
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^ -~]/g, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
