/** The photo of whoever is tipped. The name stands beside it, so that it needs no words of its own. */
import styles from './tip.module.css';

/** The side of a photo at most, in pixels. */
const SIDE = 512;

/** A photo that cannot be loaded leaves no trace, also when that was known before the script came. */
export function Photo({ src }: { readonly src: string }) {
  return (
    <img
      ref={(image) => {
        if (image?.complete && !image.naturalWidth) image.hidden = true;
      }}
      src={src}
      alt=""
      width={SIDE}
      height={SIDE}
      // Of any other image React writes a preload before all else, also before the title of a rendered page.
      fetchPriority="low"
      className={styles.photo}
      onError={({ currentTarget }) => {
        currentTarget.hidden = true;
      }}
    />
  );
}
