import { periodOf } from './period';

describe('a period of days', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['Asia/Tokyo', '2024-03-27T15:00:00.000Z', '2024-03-28T15:00:00.000Z'],
    ['America/New_York', '2024-03-28T04:00:00.000Z', '2024-03-29T04:00:00.000Z'],
  ])('is of the time zone of the browser: %s', (zone, start, end) => {
    vi.stubEnv('TZ', zone);
    expect(periodOf('2024-03-28', '2024-03-28')).toEqual({ date_from: start, date_to: end });
  });

  it('has a last day of 23 hours where clocks are put forward', () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(periodOf('2024-03-31', '2024-03-31')).toEqual({
      date_from: '2024-03-30T23:00:00.000Z',
      date_to: '2024-03-31T22:00:00.000Z',
    });
  });

  it('is open where no day is chosen', () => {
    expect(periodOf('', '')).toEqual({});
  });

  it.each(['120240-03-28', '9999-12-31'])('leaves %s to the API', (day) => {
    vi.stubEnv('TZ', 'UTC');
    expect(periodOf('', day)).toEqual({ date_to: day });
  });
});
