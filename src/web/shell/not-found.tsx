import { Compass } from "lucide-react";
import { shellText } from "../messages/shell.ts";
import emptyStateStyles from "../ui/empty-state.module.css";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import pageStyles from "../ui/page.module.css";
import { usePageTitle } from "../ui/page.tsx";
import styles from "./shell.module.css";

const t = shellText.notFound;

export function NotFound() {
  usePageTitle(t.title);
  return (
    <main id="content" tabIndex={-1} className={styles.notFound}>
      <div className={emptyStateStyles.blank} data-ui="blank">
        <span className={emptyStateStyles.ico} data-ui="ico">
          <Icon of={Compass} />
        </span>
        <h1 className={pageStyles.title}>{t.title}</h1>
        <p>{t.text}</p>
        <div className={pageStyles.actions} data-ui="actions">
          <LinkButton to="/" look="primary">
            {t.back}
          </LinkButton>
        </div>
      </div>
    </main>
  );
}
