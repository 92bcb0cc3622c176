/** Characters that a file system refuses, or that end a name on one of them; and what shows text in another order than it is. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|%]+/gu;
/** Folders may stand before it, and a system takes 255 bytes. */
const LONGEST = 60;

/** A name that people gave, as a part of a file name: `Promoção: 50% / já` → `Promoção 50 já`. Empty where nothing of it can stand there. */
export function fileNamePart(name: string): string {
  const words = name.replace(UNSAFE, " ").replace(/\s+/g, " ");
  return [...words]
    .slice(0, LONGEST)
    .join("")
    .replace(/^[ .]+|[ .]{1,60}$/g, "");
}

/** The header that saves an answer as this file: with its accents, and without them for old programs. */
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
