import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "./api/query-client.ts";
import { whenSessionEnds } from "./api/session.ts";
import { makeRouter } from "./router.tsx";
import "./styles.css";

const queries = makeQueryClient();
const router = makeRouter(queries);

whenSessionEnds(() => {
  // The first question of a visitor answers «not signed in» too: then the guard decides, and nothing has ended.
  if (!queries.getQueryData(["me"])) return;
  const { href } = router.state.location;
  queries.clear();
  void router.navigate({ to: "/login", search: { redirect: href, ended: true } });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
