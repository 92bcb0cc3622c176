import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import authStyles from "../../auth/auth.module.css";
import { accountsText } from "../../messages/accounts.ts";
import { commonText } from "../../messages/common.ts";
import brandStyles from "../../ui/brand.module.css";
import { Mark } from "../../ui/brand.tsx";
import cardStyles from "../../ui/card.module.css";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import pageStyles from "../../ui/page.module.css";
import { usePageTitle } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { Markdown } from "./markdown.tsx";
import termsStyles from "./terms.module.css";
import { useTerms } from "./use-terms.ts";

const t = accountsText.terms;

export function TermsPage() {
  usePageTitle(t.title);
  const terms = useTerms();
  return (
    <main id="content" className={termsStyles.page}>
      <Link to="/" className={clsx(brandStyles.brand, termsStyles.home)} data-ui="brand">
        <Mark />
        {commonText.product}
      </Link>
      <article className={clsx(cardStyles.card, cardStyles.section, authStyles.terms)}>
        <header>
          <h1 className={pageStyles.title}>{t.title}</h1>
          {terms.data && <p>{t.version(terms.data.version)}</p>}
        </header>
        {terms.pending && (
          <Skeleton className={layoutStyles.stack3}>
            <Bone width="90%" />
            <Bone width="96%" />
            <Bone width="60%" />
          </Skeleton>
        )}
        {terms.error !== null && (
          <ErrorNotice
            title={t.failed}
            error={terms.error}
            onRetry={() => terms.retry()}
            busy={terms.pending}
          />
        )}
        {terms.data && (
          <div>
            <Markdown text={terms.data.text} />
          </div>
        )}
      </article>
    </main>
  );
}
