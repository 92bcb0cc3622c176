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

const session = makeSession(() => void router.invalidate());
const router = makeRouter(session);
skipDuplicateEntries(router.history);

// Loads files and data in parallel with the session check; most are already requested
// (server/http/first-files.ts, ask-first.ts).
const matches = router.matchRoutes(router.latestLocation);
const { pathname, search } = router.latestLocation;
const inShell = matches.some(({ routeId }) => routeId === "/shell");
// A visitor gets the login page; the screen's requests would be refused.
if (!inShell || !isWithoutSession()) {
  if (inShell) askFirstQuestions(pathname, search);
  for (const { routeId } of matches)
    void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);
}

whenSessionEnds(() => {
  dropAhead();
  // A visitor's first request is also "not signed in": the guard handles it, no session ended.
  if (!session.forget()) return;
  const search = { redirect: router.state.location.href, ended: true } as const;
  // Replaces the entry, or Back would find this screen twice.
  void router.navigate({ to: "/login", search, replace: true });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
// The built page (first-paint.tsx) stays until its replacement is drawn, and is removed before both are
// visible.
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
