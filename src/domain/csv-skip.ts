import { AppError } from "./errors.ts";

/** Finds the end of an overlong record. `firstLine` is reported by `import_unclosed_quote`. */
export function recordSkipper(separator: string, firstLine: number, quote = '"') {
  let line = firstLine;
  let openedAt = 0;
  let linesInside = 0;
  let state: "start" | "bare" | "quoted" | "closed" = "start";
  let last = "";
  const unclosed = () => new AppError("import_unclosed_quote", { line: openedAt });

  const step = (c: string): boolean => {
    const lineEnd = c === "\r" || c === "\n";
    if (lineEnd && !(c === "\n" && last === "\r")) {
      line++;
      linesInside++;
    }
    last = c;
    if (state === "quoted") {
      if (c === quote) state = "closed";
      return false;
    }
    if (lineEnd) return true;
    if (c === separator) state = "start";
    else if (c === quote && state === "closed") state = "quoted";
    else if (c === quote && state === "start") {
      state = "quoted";
      openedAt = line;
      linesInside = 0;
    } else if (c !== " " && c !== "\t") {
      if (state === "closed" && linesInside > 0) throw unclosed();
      state = "bare";
    }
    return false;
  };

  let endedInCr = false;
  return {
    skip(text: string, from: number): number {
      if (endedInCr) return text[from] === "\n" ? from + 1 : from;
      for (let at = from; at < text.length; at++) {
        if (!step(text[at] as string)) continue;
        if (text[at] === "\n") return at + 1;
        endedInCr = at + 1 === text.length;
        if (endedInCr) return -1;
        return text[at + 1] === "\n" ? at + 2 : at + 1;
      }
      return -1;
    },
    line: () => line,
    end() {
      if (state === "quoted") throw unclosed();
    },
  };
}
