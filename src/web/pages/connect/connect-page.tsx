import { Page } from "../../components/page.tsx";

export function ConnectPage() {
  return (
    <Page title="connect">
      <p />
    </Page>
  );
}
