/**
 * The screen of an unknown code. It leads somebody who is logged in to the dashboard after a moment, unless they act first.
 */
import { useEffect, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

const REDIRECT_AFTER_MS = 4_000;

export function CodeNotFound({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const [hasActed, setActed] = useState(false);
  const isLeaving = isSignedIn && !hasActed;
  useEffect(() => {
    if (!isLeaving) return;
    const timer = setTimeout(() => navigate(paths.dashboard), REDIRECT_AFTER_MS);
    const stay = () => setActed(true);
    window.addEventListener('pointerdown', stay);
    window.addEventListener('keydown', stay);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pointerdown', stay);
      window.removeEventListener('keydown', stay);
    };
  }, [isLeaving]);
  return (
    <Screen title="QR Code Not Found" width="column">
      <ScreenHeading>QR Code Not Found</ScreenHeading>
      <p>
        Check the ten characters under the picture, or scan it again. I and L are the digit 1, and O is the
        digit 0.
      </p>
      {isLeaving && <p>You will be taken to your dashboard in a moment.</p>}
      <div>
        <Button onClick={() => navigate(paths.home)}>Go Home</Button>
      </div>
    </Screen>
  );
}
