/** The schema and records of an exchange, open to everybody in favour of PocketBase: there are no rules to evaluate. */
migrate((app) => {
  const create = (name, fields) => {
    const collection = new Collection({ type: 'base', name, fields, listRule: '', viewRule: '', createRule: '' });
    app.save(collection);
    return collection;
  };
  const add = (collection, values) => {
    const record = new Record(collection, values);
    app.save(record);
    return record.id;
  };
  const texts = (...names) => names.map((name) => ({ name, type: 'text' }));
  const numbers = (...names) => names.map((name) => ({ name, type: 'number' }));
  const relation = (name, { id }) => ({ name, type: 'relation', collectionId: id, maxSelect: 1 });

  const currency = create('currencies', [...texts('code', 'name', 'network', 'kind', 'icon'), ...numbers('scale', 'reserve')]);
  const sides = [relation('give', currency), relation('receive', currency)];
  const pair = create('pairs', [...sides, ...numbers('rate', 'minimum', 'maximum')]);
  const created = { name: 'created', type: 'autodate', onCreate: true };
  const terms = [relation('pair', pair), ...numbers('give_amount', 'receive_amount')];
  create('claims', [...terms, { name: 'email', type: 'email' }, ...texts('card', 'status'), created]);

  const common = { network: 'RUB', kind: 'bank', icon: 'sber', scale: 2, reserve: 1e14 };
  const codes = ['BTC', 'SBERRUB'];
  while (codes.length < Number($os.getenv('CURRENCIES'))) codes.push(`CURRENCY${codes.length}`);
  const [give, receive] = codes.map((code) => add(currency, { code, name: `Currency ${code}`, ...common }));
  add(pair, { id: 'btcsberrub00001', give, receive, rate: 6e6, minimum: 0.0005, maximum: 2 });

  // It logs every request otherwise.
  const settings = app.settings();
  settings.logs.maxDays = 0;
  app.save(settings);
});
