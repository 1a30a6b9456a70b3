/** The first section: name, promise and two buttons, beside a picture of the bar. */
import { ArrowRight } from 'lucide-react';
import { brand } from '#shared/brand.ts';
import { Button } from '../ui/button.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Entrance } from './entrance.tsx';
import styles from './hero.module.css';
import { Scene } from './scene.tsx';
import section from './section.module.css';

export function Hero({ onLearnMore }: { readonly onLearnMore: () => void }) {
  return (
    <section className={styles.hero}>
      <div className={styles.words}>
        <ScreenHeading>
          <span className={styles.name}>{brand.name}</span>{' '}
          <span className={styles.tagline}>{brand.tagline}</span>
        </ScreenHeading>
        <p className={styles.promise}>
          One QR code on the bar. Your customer scans it, picks an amount and pays; you see the tip at once.
        </p>
        <div className={styles.ways}>
          <Entrance>
            Get Started Now <ArrowRight aria-hidden />
          </Entrance>
          <Button look="quiet" onClick={onLearnMore}>
            Learn More
          </Button>
        </div>
      </div>
      <div className={styles.view}>
        <Scene />
      </div>
      <div className={[section.bar, styles.counter].join(' ')} aria-hidden="true" />
    </section>
  );
}
