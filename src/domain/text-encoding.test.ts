import { describe, expect, test } from "vitest";
import { encodingDetector } from "./text-encoding.ts";

function detect(bytes: Uint8Array, piece = bytes.length) {
  const detector = encodingDetector();
  for (let at = 0; at < bytes.length; at += piece) detector.push(bytes.subarray(at, at + piece));
  return detector.result();
}
const latin1 = (text: string) => Buffer.from(text, "latin1");

describe("encoding", () => {
  test("C01 UTF-8 with BOM", () => {
    expect(detect(Buffer.from("\ufeffJoão"))).toBe("utf-8");
  });
  test("C02 Windows-1252 with its own quotes", () => {
    const bytes = Buffer.concat([latin1("João "), Buffer.from([0x93]), latin1("Zé"), Buffer.from([0x94])]);
    expect(detect(bytes)).toBe("windows-1252");
    expect(new TextDecoder("windows-1252").decode(bytes)).toBe("João “Zé”");
  });
  test("C03 ISO-8859-1, short", () => {
    expect(detect(latin1("Zé"))).toBe("windows-1252");
  });
  test("C04 UTF-16 by its mark", () => {
    expect(detect(Buffer.from("\ufeffJoão", "utf16le"))).toBe("utf-16le");
    expect(detect(Buffer.from("\ufeffJoão", "utf16le").swap16())).toBe("utf-16be");
  });
  test("C04 UTF-16 without a mark by its NULs, whatever the script of the names", () => {
    for (const text of [
      "Nome;Telefone\r\nJoão;11987654321\r\n",
      "Nome;Telefone\nĀriņa 張偉;+351912345678\n",
    ]) {
      expect(detect(Buffer.from(text, "utf16le"))).toBe("utf-16le");
      expect(detect(Buffer.from(text, "utf16le").swap16())).toBe("utf-16be");
      // A stray NUL in a name does not mean UTF-16 (C39).
      expect(detect(Buffer.from(text.replace("e", "\0\0")))).toBe("utf-8");
    }
    expect(detect(Buffer.alloc(0))).toBe("utf-8");
  });
  test("C04 the mark is remembered when the caller reads on into the same buffer", () => {
    const buffer = Buffer.from("\ufeffJo", "utf16le");
    const detector = encodingDetector();
    detector.push(buffer);
    buffer.write("ab", "utf16le");
    detector.push(buffer);
    expect(detector.result()).toBe("utf-16le");
  });
  test("C05 UTF-8 without BOM, cut anywhere", () => {
    for (const piece of [1, 2, 3]) expect(detect(Buffer.from("João 😀"), piece)).toBe("utf-8");
  });
  test("C06 a mixture is refused, for a person to choose", () => {
    const mixed = Buffer.concat([Buffer.from("João\n"), latin1("José\n")]);
    expect(() => detect(mixed)).toThrow(expect.objectContaining({ code: "import_unreadable_encoding" }));
    expect(() => detect(Buffer.concat([Buffer.from("\ufeff"), latin1("José")]))).toThrow(
      expect.objectContaining({ code: "import_unreadable_encoding" }),
    );
  });
});
