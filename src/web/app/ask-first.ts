import { askFirstQuestions } from "./first-questions.ts";

// A script of its own that comes before all others, on signed-in screens alone (server/http/first-files.ts): the server answers while the
// page's script is still being read.
askFirstQuestions(location.pathname, searchOf(location.search));

/** As the router reads it: each value is JSON where it can be. */
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
