import { existsSync } from 'node:fs';

const whole = process.env.CHROMIUM ?? '/usr/bin/chromium';
const shell = '/usr/bin/chromium-headless-shell';

// Drawing at once is cheaper than by a graphics card that is not there and has to be emulated.
const args = ['--disable-gpu'];

/** How Chromium is started: without its windows, if it is there like this, since that takes less CPU time. */
export const browser = { executablePath: !process.env.CHROMIUM && existsSync(shell) ? shell : whole, args };

/** With windows, which show notifications. */
export const wholeBrowser = { executablePath: whole, args };
