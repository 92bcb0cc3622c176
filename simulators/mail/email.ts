export type ReceivedEmail = {
  from: string;
  to: string[];
  headers: Map<string, string>;
  text: string;
};

export function readEmail(from: string, to: string[], raw: string): ReceivedEmail {
  const end = raw.indexOf("\r\n\r\n");
  const fields = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), decodeWords(field.slice(colon + 1).trim())];
    }),
  );
  const body = raw.slice(end + 4);
  const encoding = (headers.get("content-transfer-encoding") ?? "7bit").toLowerCase();
  return { from, to, headers, text: decodeBody(body, encoding).replaceAll("\r\n", "\n") };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding === "quoted-printable") return quotedPrintable(body.replaceAll(/=\r\n/g, ""));
  return Buffer.from(body, "latin1").toString();
}

function quotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}

/** RFC 2047: `=?UTF-8?Q?Ol=C3=A1?=`. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?[\w-]+\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("latin1")
        : Buffer.from(quotedBytes(word), "latin1").toString("latin1"),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, "latin1").toString());
}

const quotedBytes = (word: string) =>
  word
    .replaceAll("_", " ")
    .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
