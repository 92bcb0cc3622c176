import { SaxesParser } from "saxes";
import { AppError } from "../../../domain/errors.ts";

export type XmlHandlers = {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
};

/** The parser keeps one text whole; no cell has this many bytes. */
const LONGEST_TEXT = 32 * 1024 * 1024;

const local = (name: string) => name.slice(name.indexOf(":") + 1);

/** Yields after each piece. Throws `import_workbook_broken`, `import_workbook_too_large`. */
export async function* parseXml(bytes: AsyncIterable<Buffer>, handlers: XmlHandlers): AsyncGenerator<void> {
  const parser = new SaxesParser({ fragment: false });
  let sinceTag = 0;
  parser.on("error", () => {
    throw new AppError("import_workbook_broken");
  });
  parser.on("doctype", () => {
    throw new AppError("import_workbook_broken");
  });
  parser.on("opentag", ({ name, attributes }) => {
    sinceTag = 0;
    const own: Record<string, string> = {};
    for (const [key, value] of Object.entries(attributes)) own[local(key)] = String(value);
    handlers.open(local(name), own);
  });
  parser.on("text", (text) => handlers.text(text));
  parser.on("cdata", (text) => handlers.text(text));
  parser.on("closetag", ({ name }) => {
    sinceTag = 0;
    handlers.close(local(name));
  });
  const decoder = new TextDecoder("utf-8");
  for await (const chunk of bytes) {
    sinceTag += chunk.length;
    if (sinceTag > LONGEST_TEXT) throw new AppError("import_workbook_too_large");
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.write(decoder.decode());
  parser.close();
  yield;
}
