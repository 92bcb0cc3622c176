import { Page } from "../../components/page.tsx";

export function ConnectionsPage() {
  return (
    <Page title="connections">
      <p />
    </Page>
  );
}
