import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../../src/web/styles/styles.css";
import styles from "../../src/web/ui/page.module.css";

/** The smallest page possible: React, our style sheet and font, no request. */
function Skeleton() {
  return (
    <main className={styles.page}>
      <div className={styles.pageHead}>
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
