import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function Scan() {
  return (
    <Screen title="Scan">
      <ScreenHeading>Scan</ScreenHeading>
    </Screen>
  );
}
