/** The public landing page. */
import { useRef } from 'react';
import { Screen } from '../ui/screen.tsx';
import { Closing } from './closing.tsx';
import { Entrance } from './entrance.tsx';
import { Features } from './features.tsx';
import { Footer } from './footer.tsx';
import { Hero } from './hero.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { Services } from './services.tsx';

export function Landing() {
  const howItWorks = useRef<HTMLHeadingElement>(null);

  const learnMore = () => {
    // The style sheet says whether scrolling is smooth (`scroll-behavior`), because it knows who wants less motion.
    howItWorks.current?.focus({ preventScroll: true });
    howItWorks.current?.scrollIntoView();
  };

  return (
    <>
      <Screen actions={<Entrance look="quiet">Login</Entrance>}>
        <Hero onLearnMore={learnMore} />
        <HowItWorks heading={howItWorks} />
        <Features />
        <Services />
        <Closing />
      </Screen>
      <Footer />
    </>
  );
}
