import path from "node:path";
import { QUESTIONS } from "./first-files-plugin.ts";

/** The bundler, once all modules are read. */
type Module = { importedIds: readonly string[]; dynamicallyImportedIds: readonly string[] };
type Bundler = { getModuleInfo(id: string): Module | null };

const ROOT = path.join(import.meta.dirname, "..", "src", "web");
const at = (file: string) => path.join(ROOT, file);

const START = at("main.tsx");
const FRAME = at("shell/shell.tsx");
/** What one sees before one is signed in. */
const DOORS = [
  "login/login-page.tsx",
  "signup/signup-page.tsx",
  "reset/forgot-password-page.tsx",
  "reset/new-password-page.tsx",
].map((file) => at(`pages/${file}`));
const OWN_OF_DOORS = /src\/web\/(pages\/(login|signup|reset|auth)|messages\/(en\/)?(accounts|reset))/;
const SCREENS = [
  "dashboard/dashboard-page.tsx",
  "campaigns/campaigns-page.tsx",
  "new-campaign/new-campaign-page.tsx",
  "contacts/contacts-page.tsx",
  "connect/connect-page.tsx",
  "connections/connections-page.tsx",
  "chat/chat-page.tsx",
  "instances/instances-page.tsx",
  "agents/agents-page.tsx",
  "settings/settings-page.tsx",
].map((file) => at(`pages/${file}`));
/** What so many screens use is fetched with the frame around them, in one file. */
const MANY_SCREENS = 5;
const ICON = /\/lucide-react\//;

/**
 * Files of the built page that modules go to, each fetched before the next. What is in none of them goes where the bundler sees fit:
 * left to it alone, each icon that two screens share is a file, and a screen sixty requests, which a browser makes six at a time.
 */
const PARTS = ["questions", "start", "basics", "frame", "kit"] as const;
type Part = (typeof PARTS)[number];

/** For the bundler's `codeSplitting`. The earlier part comes first, since each takes along what it imports. */
export const pageParts = PARTS.map((part, place) => ({
  debugName: part,
  priority: PARTS.length - place,
  name: (id: string, bundler: Bundler) => (partOf(id, bundler) === part ? part : null),
}));

function partOf(id: string, bundler: Bundler): Part | null {
  const { questions, start, doors, frame, screens, parts } = reached(bundler);
  // Not what puts them: it runs where the page names it, and nowhere else.
  if (id === QUESTIONS) return null;
  if (questions.has(id)) return "questions";
  if (start.has(id)) return "start";
  if (doors.has(id)) return OWN_OF_DOORS.test(id) ? null : "basics";
  if (frame.has(id)) return "frame";
  // An icon of one screen or window comes with it; a file for each of the others would cost more than they weigh.
  if (ICON.test(id)) return parts.filter((part) => part.has(id)).length > 1 ? "frame" : null;
  return screens.filter((screen) => screen.has(id)).length >= MANY_SCREENS ? "kit" : null;
}

type Reached = Record<"questions" | "start" | "doors" | "frame", Set<string>> &
  Record<"screens" | "parts", Set<string>[]>;
const known = new WeakMap<Bundler, Reached>();

function reached(bundler: Bundler): Reached {
  const before = known.get(bundler);
  if (before) return before;
  const from = (...files: string[]) => everythingImportedBy(files, bundler);
  const now = {
    questions: from(QUESTIONS),
    start: from(START),
    doors: from(...DOORS),
    frame: from(FRAME),
    screens: SCREENS.map((screen) => from(screen)),
    parts: fetchedLater(bundler).map((part) => from(part)),
  };
  known.set(bundler, now);
  return now;
}

function everythingImportedBy(files: readonly string[], bundler: Bundler): Set<string> {
  const seen = new Set<string>();
  const left = [...files];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    left.push(...(bundler.getModuleInfo(id)?.importedIds ?? []));
  }
  return seen;
}

/** Whatever is fetched by itself when it is needed: screens, windows, tabs. */
function fetchedLater(bundler: Bundler): string[] {
  const seen = new Set<string>([START]);
  const later = new Set<string>();
  // A set tells of what is added while one goes through it.
  for (const id of seen) {
    const { importedIds = [], dynamicallyImportedIds = [] } = bundler.getModuleInfo(id) ?? {};
    for (const each of dynamicallyImportedIds) later.add(each);
    for (const each of [...importedIds, ...dynamicallyImportedIds]) seen.add(each);
  }
  return [...later];
}
