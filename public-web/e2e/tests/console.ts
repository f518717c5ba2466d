import { expect, type Page } from '@playwright/test';
import { en } from '../../../admin-web/src/i18n/en.ts';
import { ru } from '../../../admin-web/src/i18n/ru.ts';
import type { Locale } from './words.ts';

/** The operator, as the demonstration prints it. */
const OPERATOR = { email: 'operator@agio.example', password: 'agio-demo-operator' };

/** The console as an operator works it: by its own words, buttons and keys. */
export class Console {
  readonly words: typeof ru;

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
    private readonly who = OPERATOR,
  ) {
    this.words = { ru, en }[locale];
  }

  /** Opens the console, which asks who is there, in the language of the operator. */
  async open(): Promise<void> {
    await this.page.goto('/admin/');
    await this.page.getByRole('button', { name: { ru: 'Русский', en: 'English' }[this.locale] }).click();
    await expect(this.page.getByRole('heading', { name: this.words.signin.title })).toBeVisible();
  }

  async signIn(): Promise<void> {
    const { signin } = this.words;
    await this.page.getByRole('textbox', { name: signin.email }).fill(this.who.email);
    await this.page.getByLabel(signin.password).fill(this.who.password);
    await this.page.getByRole('button', { name: signin.submit }).click();
    await expect(this.menu).toBeVisible();
  }

  /** Shows once more who is there, as a step that sends money out asks. */
  async confirm(): Promise<void> {
    const { confirm } = this.words;
    const question = this.page.getByRole('dialog', { name: confirm.title });
    await question.getByLabel(confirm.password).fill(this.who.password);
    await question.getByRole('button', { name: confirm.submit }).click();
  }

  async openDesk(): Promise<void> {
    const { rooms, claims } = this.words;
    // How many wait stands beside the name.
    await this.menu.getByRole('link', { name: new RegExp(`^${rooms.claims}`) }).click();
    await expect(this.page.getByRole('heading', { name: claims.title, level: 1 })).toBeVisible();
  }

  async openVerifications(): Promise<void> {
    const { rooms, verifications } = this.words;
    await this.openRoom(rooms.verifications, verifications.title);
  }

  async openApprovals(): Promise<void> {
    const { rooms, approvals } = this.words;
    await this.menu.getByRole('link', { name: new RegExp(`^${rooms.approvals}`) }).click();
    await expect(this.page.getByRole('heading', { name: approvals.title, level: 1 })).toBeVisible();
  }

  async openContests(): Promise<void> {
    const { rooms, contests } = this.words;
    await this.openRoom(rooms.contests, contests.title);
  }

  async openPartners(): Promise<void> {
    const { rooms, partners } = this.words;
    await this.openRoom(rooms.partners, partners.title);
  }

  private async openRoom(name: string, title: string): Promise<void> {
    await this.menu.getByRole('link', { name }).click();
    await expect(this.page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  }

  /** Fills in a field with these words. */
  async fill(label: string, value: string): Promise<void> {
    await this.dialog.getByLabel(label, { exact: true }).fill(value);
  }

  /** Presses a button, of the open dialog where there is one. */
  async press(button: string): Promise<void> {
    const within = (await this.dialog.count()) > 0 ? this.dialog.last() : this.page;
    await within.getByRole('button', { name: button, exact: true }).click();
  }

  /** What opens the verification of a claim in the queue, by the claim's short number. */
  verificationOf(number: string) {
    return this.page
      .getByRole('row')
      .filter({ hasText: `№ ${number}` })
      .getByRole('button');
  }

  private get menu() {
    return this.page.getByRole('navigation', { name: this.words.layout.menu });
  }

  /** The claim as the desk lists it, by its short number. */
  row(number: string) {
    return this.page.getByRole('row').filter({ has: this.page.getByRole('link', { name: number, exact: true }) });
  }

  /** The open claim. */
  get panel() {
    return this.page.getByRole('region', { name: this.words.claim.label });
  }

  /** Sees the open claim in a state. */
  async expectState(state: keyof typeof ru.statusFull): Promise<void> {
    await expect(this.panel).toContainText(this.words.statusFull[state]);
  }

  /** The button of a step; a key stands beside its words. */
  step(action: keyof typeof ru.moves) {
    return this.panel.getByRole('button', { name: this.words.moves[action].label });
  }

  /** Makes the main step by its key, once it can be made: keys do nothing while the former step is under way, as buttons do. */
  async pressMain(): Promise<void> {
    await expect(
      this.panel.getByRole('button').filter({ has: this.page.getByText('Y', { exact: true }) }),
    ).toBeEnabled();
    await this.page.keyboard.press('y');
  }

  /** Presses the button with these words, which stands behind the dots where there are many. */
  async choose(label: string): Promise<void> {
    const button = this.panel.getByRole('button', { name: label });
    const more = this.panel.getByRole('button', { name: this.words.claim.moreActions });
    await expect(button.or(more).first()).toBeVisible();
    if (await button.isVisible()) return button.click();
    await more.click();
    await this.page.getByRole('menuitem', { name: label }).click();
  }

  /** Says yes in the dialog that is open. */
  async agree(label: string): Promise<void> {
    await this.dialog.getByRole('button', { name: label }).click();
  }

  /** Shows who is there whenever that is asked. */
  async confirmsAlways(): Promise<void> {
    const question = this.page.getByRole('dialog', { name: this.words.confirm.title });
    await this.page.addLocatorHandler(question, () => this.confirm());
  }

  /** What a step asks before it is made. */
  get dialog() {
    return this.page.getByRole('dialog');
  }
}
