/** The screen of every address that no other screen has. */
import { navigate } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function NotFound() {
  return (
    <Screen title="Not found" width="column">
      <ScreenHeading>There is nothing here</ScreenHeading>
      <p>The address may be mistyped, or the page has moved.</p>
      <div>
        <Button onClick={() => navigate(paths.home)}>Go Home</Button>
      </div>
    </Screen>
  );
}
