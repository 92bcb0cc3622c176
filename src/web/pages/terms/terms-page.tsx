import { Link } from "@tanstack/react-router";
import { accountsText } from "../../messages/accounts.ts";
import { commonText } from "../../messages/common.ts";
import { Mark } from "../../ui/brand.tsx";
import { Fault } from "../../ui/error-notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { Markdown } from "./markdown.tsx";
import { useTerms } from "./use-terms.ts";
import "../../auth/auth.css";

const t = accountsText.terms;

export function TermsPage() {
  usePageTitle(t.title);
  const terms = useTerms();
  return (
    <main id="content" className="mx-auto max-w-3xl px-4 py-6 md:py-10">
      <Link to="/" className="brand mb-6 w-fit px-0">
        <Mark />
        {commonText.product}
      </Link>
      <article className="card section terms">
        <header>
          <h1 className="text-xl font-semibold tracking-tight">{t.title}</h1>
          {terms.data && <p>{t.version(terms.data.version)}</p>}
        </header>
        {terms.pending && (
          <Skeleton className="grid gap-3">
            <Bone width="90%" />
            <Bone width="96%" />
            <Bone width="60%" />
          </Skeleton>
        )}
        {terms.error !== null && (
          <Fault title={t.failed} error={terms.error} onRetry={() => terms.retry()} busy={terms.pending} />
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
