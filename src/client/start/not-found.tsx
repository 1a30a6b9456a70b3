import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function NotFound() {
  return (
    <Screen title="Not found" width="column">
      <ScreenHeading>There is nothing here</ScreenHeading>
      <p>The address may be mistyped, or the page has moved.</p>
      <div>
        <ButtonLink href={paths.home}>Go Home</ButtonLink>
      </div>
    </Screen>
  );
}
