/**
 * Whether React has hydrated this page, or is not used on it. To be called in the page, so that it knows
 * nothing of this module.
 */
export function isTakenOver(): boolean {
  const root = document.getElementById('root');
  const key = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer'));
  if (!root) return true;
  return key !== undefined && Reflect.get(root, key).stateNode.current.memoizedState.isDehydrated === false;
}
