import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { dropAhead } from "../api/prefetch.ts";
import { isWithoutSession, makeSession } from "../api/session.ts";
import { whenSessionEnds } from "../api/session-end.ts";
import { skipDuplicateEntries } from "../ui/use-close-on-back.ts";
import { askFirstQuestions } from "./first-questions.ts";
import { makeRouter } from "./router.tsx";
import "../styles/styles.css";

// Once anything is told the router is there.
const session = makeSession(() => void router.invalidate());
const router = makeRouter(session);
skipDuplicateEntries(router.history);

// The files of the screen that is asked for, and what it shows, are fetched while the server says who is there, not after it did. Most of
// it is on its way by now (server/http/first-files.ts, ask-first.ts), and then is not fetched again.
const matches = router.matchRoutes(router.latestLocation);
const { pathname, search } = router.latestLocation;
const inShell = matches.some(({ routeId }) => routeId === "/shell");
// A visitor is led to the login: nothing of the screen would be answered.
if (!inShell || !isWithoutSession()) {
  if (inShell) askFirstQuestions(pathname, search);
  for (const { routeId } of matches)
    void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);
}

whenSessionEnds(() => {
  dropAhead();
  // The first question of a visitor answers «not signed in» too: then the guard decides, and nothing has ended.
  if (!session.forget()) return;
  const search = { redirect: router.state.location.href, ended: true } as const;
  // In place of the screen to which the way leads back: Back would otherwise find it once more below itself.
  void router.navigate({ to: "/login", search, replace: true });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
// What the server sent ahead (first-paint.tsx) stands until there is something in its place, and goes before both would be seen.
const ahead = document.getElementById("ahead");
new MutationObserver((_, watch) => {
  ahead?.remove();
  watch.disconnect();
}).observe(root, { childList: true });
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
