import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function Tip({ qrId }: { readonly qrId: string }) {
  return (
    <Screen title="Tip">
      <ScreenHeading>{qrId}</ScreenHeading>
    </Screen>
  );
}
