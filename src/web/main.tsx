import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeSession } from "./api/session.ts";
import { whenSessionEnds } from "./api/session-end.ts";
import { makeRouter } from "./router.tsx";
import "./styles.css";

const session = makeSession();
const router = makeRouter(session);

// The files of the screen that is asked for are fetched while the server says who is there, not after it did.
for (const { routeId } of router.matchRoutes(router.latestLocation))
  void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);

whenSessionEnds(() => {
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
