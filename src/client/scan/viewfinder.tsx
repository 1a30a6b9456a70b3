/** The placeholder of the camera's picture: a drawn code between the corners of a viewfinder. */
import styles from './viewfinder.module.css';

const CELLS = [
  '........#..#.........',
  '.........#...........',
  '........###..........',
  '........#............',
  '........##.##........',
  '........####.........',
  '........#.#.#........',
  '..........#.#........',
  '#....#####.#.#..##.#.',
  '##..##.#..####.#.##.#',
  '.####.#.#.##..#.##.##',
  '##.#.#.#.#..##..##..#',
  '...####.#.#..##.##...',
  '........#.#######.##.',
  '............###...#.#',
  '.........#.#.......#.',
  '..........#....#..#..',
  '..........#..#.#.#.##',
  '.........#..###.##..#',
  '.........#.##...#.###',
  '............######.##',
] as const;

const EYES = [
  [0, 0],
  [14, 0],
  [0, 14],
] as const;

const CELL_PATH = CELLS.flatMap((row, y) =>
  [...row].map((cell, x) => (cell === '#' ? `M${x} ${y}h1v1h-1z` : '')),
).join('');
const EYE_PATH = EYES.map(([x, y]) => `M${x} ${y}h7v7h-7zm1 1v5h5v-5zm1 1h3v3h-3z`).join('');

export function Viewfinder() {
  return (
    <div className={styles.finder} aria-hidden="true">
      <svg className={styles.code} viewBox="0 0 21 21" focusable="false" aria-hidden="true">
        <path fillRule="evenodd" d={CELL_PATH + EYE_PATH} />
      </svg>
      <span className={styles.beam} />
    </div>
  );
}
