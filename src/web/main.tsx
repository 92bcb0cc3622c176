import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { dropAhead } from "./api/ahead.ts";
import { askAhead } from "./api/call.ts";
import { makeSession } from "./api/session.ts";
import { whenSessionEnds } from "./api/session-end.ts";
import { askFirstQuestions } from "./first-questions.ts";
import { makeRouter } from "./router.tsx";
import "./styles.css";

const session = makeSession();
const router = makeRouter(session);

// The files of the screen that is asked for, and what it shows, are fetched while the server says who is there, not after it did. A browser
// fetches six things at a time: nothing can be shown without the first ones.
const matches = router.matchRoutes(router.latestLocation);
if (matches.some(({ routeId }) => routeId === "/shell")) askAhead("GET /api/me");
for (const { routeId } of matches)
  void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);
for (const { routeId, search } of matches) askFirstQuestions(routeId, search);

whenSessionEnds(() => {
  dropAhead();
  // The first question of a visitor answers «not signed in» too: then the guard decides, and nothing has ended.
  if (!session.forget()) return;
  void router.navigate({ to: "/login", search: { redirect: router.state.location.href, ended: true } });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
