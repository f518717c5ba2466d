const PATHS = {
  alert: 'M10 6v5M10 14v.2M10 2.5 18 17H2Z',
  arrow: 'M3 10h14M12 5l5 5-5 5',
  check: 'm4 10.5 4 4 8-9',
  chevron: 'm5 8 5 5 5-5',
  close: 'm5 5 10 10M15 5 5 15',
  copy: 'M7 7V3.5h9.5V13H13M3.500 7H13v9.500H3.500Z',
  info: 'M10 9v5M10 6v.2M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16Z',
  menu: 'M3 6h14M3 10h14M3 14h14',
  moon: 'M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5Z',
  person: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3.5 17.5c.6-3.2 3.3-5 6.5-5s5.9 1.8 6.5 5',
  search: 'M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3ZM13.5 13.5 17 17',
  swap: 'M7 4 3 8l4 4M3 8h14M13 8.5l4 4-4 4M17 12.5H3',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text, never without one. */
export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
  return (
    <svg className={className ? `ico ${className}` : 'ico'} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
