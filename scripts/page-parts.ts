import path from "node:path";
import { QUESTIONS } from "./first-files-plugin.ts";

type Module = { importedIds: readonly string[]; dynamicallyImportedIds: readonly string[] };
type Bundler = { getModuleInfo(id: string): Module | null };

const ROOT = path.join(import.meta.dirname, "..", "src", "web");
const at = (file: string) => path.join(ROOT, file);

const START = at("app/main.tsx");
const FRAME = at("shell/shell.tsx");
const DOORS = [
  "login/login-page.tsx",
  "signup/signup-page.tsx",
  "reset/forgot-password-page.tsx",
  "reset/new-password-page.tsx",
].map((file) => at(`pages/${file}`));
const OWN_OF_DOORS = /src\/web\/(pages\/(login|signup|reset)|auth|messages\/(en\/)?(accounts|reset))/;
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
/** Modules used by this many screens go into the frame's file. */
const MANY_SCREENS = 5;
const ICON = /\/lucide-react\//;

/**
 * Files of the built page, each fetched before the next; the bundler places the rest. Without them each icon
 * of two screens is a file, and a screen makes sixty requests, six at a time.
 */
const PARTS = ["questions", "start", "basics", "frame", "kit"] as const;
type Part = (typeof PARTS)[number];

export const pageParts = PARTS.map((part, place) => ({
  debugName: part,
  priority: PARTS.length - place,
  name: (id: string, bundler: Bundler) => (partOf(id, bundler) === part ? part : null),
}));

function partOf(id: string, bundler: Bundler): Part | null {
  const { questions, start, doors, frame, screens, parts } = reached(bundler);
  // The script that sends the first requests runs only where the page names it.
  if (id === QUESTIONS) return null;
  if (questions.has(id)) return "questions";
  if (start.has(id)) return "start";
  if (doors.has(id)) return OWN_OF_DOORS.test(id) ? null : "basics";
  if (frame.has(id)) return "frame";
  // An icon of one screen comes with it; a separate file for each other icon would cost more than it weighs.
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

function fetchedLater(bundler: Bundler): string[] {
  const seen = new Set<string>([START]);
  const later = new Set<string>();
  for (const id of seen) {
    const { importedIds = [], dynamicallyImportedIds = [] } = bundler.getModuleInfo(id) ?? {};
    for (const each of dynamicallyImportedIds) later.add(each);
    for (const each of [...importedIds, ...dynamicallyImportedIds]) seen.add(each);
  }
  return [...later];
}
