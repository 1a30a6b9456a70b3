export function PrintKit(_: { code: unknown; user: unknown }) {
  return <p>Soon</p>;
}
