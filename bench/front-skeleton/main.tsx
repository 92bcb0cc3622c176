import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../../src/web/styles/styles.css";

/** The least that a page of ours could be: React, our style sheet and font, a title and a line. It asks the server nothing. */
function Skeleton() {
  return (
    <main className="page">
      <div className="page-head">
        <div>
          <h1>Painel de Controle</h1>
          <p>Nenhuma campanha por enquanto: crie a primeira.</p>
        </div>
      </div>
    </main>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <Skeleton />
  </StrictMode>,
);
