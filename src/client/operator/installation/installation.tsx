export function Installation() {
  return null;
}
