import "../styles/styles.css";
import "../ui/styles.ts";
import "../shell/shell.module.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isWithoutSession, makeSession } from "../api/session.ts";
import { whenSessionEnds } from "../api/session-end.ts";
import { keepCopy, passCopies } from "../ui/use-close-on-back.ts";
import { makeRouter } from "./router.tsx";

const session = makeSession(() => void router.invalidate());
const router = makeRouter(session);
passCopies(router.history);

// The screen's files load while the session is checked; a visitor gets the login page instead.
const matches = router.matchRoutes(router.latestLocation);
const inShell = matches.some(({ routeId }) => routeId === "/shell");
if (!inShell || !isWithoutSession())
  for (const { routeId } of matches)
    void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);

whenSessionEnds(() => {
  // A visitor's first request is also "not signed in": the guard handles it, no session ended.
  if (!session.forget()) return;
  const search = { redirect: router.state.location.href, ended: true } as const;
  // Replaces the entry, or Back would find this screen twice.
  void router.navigate({ to: "/login", search, state: keepCopy, replace: true });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
