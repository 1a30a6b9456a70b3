export function Codes() {
  return null;
}
