import fs from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";
import type { Language } from "../src/contract/accounts.ts";

const CATALOGUES = path.join(import.meta.dirname, "..", "src", "web", "messages");

/** The file that a build in `language` uses; only catalogues have a counterpart in `messages/en`. */
export function catalogueFor(language: Language, file: string): string {
  if (language === "pt-BR" || path.dirname(file) !== CATALOGUES) return file;
  const counterpart = path.join(CATALOGUES, language, path.basename(file));
  return fs.existsSync(counterpart) ? counterpart : file;
}

/** Builds the page in one language, so that no screen carries two. */
export function messagesPlugin(language: Language): Plugin {
  return {
    name: "recado-messages",
    enforce: "pre",
    resolveId(source, importer) {
      if (!importer || !source.startsWith(".")) return null;
      const file = path.resolve(path.dirname(importer), source);
      const chosen = catalogueFor(language, file);
      return chosen === file ? null : chosen;
    },
    transformIndexHtml(html) {
      return language === "pt-BR" ? html : inEnglish(html);
    },
  };
}

const DESCRIPTION = "Recado: WhatsApp campaigns on a server of your own";
const NO_SCRIPT = "Recado needs JavaScript to work.";

function inEnglish(html: string): string {
  return html
    .replace('lang="pt-BR"', 'lang="en"')
    .replace(/(<meta name="description" content=")[^"]*/, `$1${DESCRIPTION}`)
    .replace(/(<noscript>)[^<]*/, `$1${NO_SCRIPT}`);
}
