/** Robots would index a temporary error. */
const ROBOT = /bot\b|crawl|spider|slurp|yandex(?!search)|bingpreview|facebookexternalhit|lighthouse/i;

export function isRobot(): boolean {
  return typeof navigator !== 'undefined' && ROBOT.test(navigator.userAgent);
}
