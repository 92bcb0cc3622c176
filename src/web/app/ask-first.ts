import { askFirstQuestions } from "./first-questions.ts";

// A script of its own before all others, on signed-in screens only (server/http/first-files.ts): the server
// answers while the page's script still loads.
askFirstQuestions(location.pathname, searchOf(location.search));

function searchOf(search: string): Record<string, unknown> {
  return Object.fromEntries([...new URLSearchParams(search)].map(([name, value]) => [name, readAs(value)]));
}

function readAs(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
