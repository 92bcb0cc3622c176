import { Page } from "../../components/page.tsx";

export function TermsPage() {
  return (
    <Page title="terms">
      <p />
    </Page>
  );
}
