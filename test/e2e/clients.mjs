// The official OpenAI client for Node against a gateway: one program, several scripts by name. Prints
// one JSON object; test_clients.py judges it.
const { default: OpenAI } = await import(process.env.OPENAI_FROM);

const make = (options = {}) =>
  new OpenAI({
    baseURL: process.env.BASE_URL,
    apiKey: process.env.API_KEY,
    maxRetries: 0,
    ...options,
  });
const say = (content) => ({ model: 'small', messages: [{ role: 'user', content }] });

async function collect(stream, text) {
  const parts = [];
  for await (const one of stream) parts.push(text(one));
  return parts;
}

async function everything() {
  const api = make();
  const got = {};
  got.chat = (await api.chat.completions.create(say('hello'))).choices[0].message.content;
  const stream = await api.chat.completions.create({ ...say('hello'), stream: true });
  got.stream = (await collect(stream, (c) => c.choices[0].delta.content ?? '')).join('');
  const counted = await api.chat.completions.create({
    ...say('hello'),
    stream: true,
    stream_options: { include_usage: true },
  });
  got.usage = (await collect(counted, (c) => c.usage?.total_tokens)).at(-1);
  got.completion = (await api.completions.create({ model: 'small', prompt: 'hello' })).choices[0].text;
  const embedded = await api.embeddings.create({ model: 'small', input: 'hello' });
  got.embedding = Array.from(embedded.data[0].embedding);
  got.response = (await api.responses.create({ model: 'small', input: 'hello' })).output_text;
  const events = await api.responses.create({ model: 'small', input: 'hello', stream: true });
  const deltas = await collect(events, (e) =>
    e.type === 'response.output_text.delta' ? e.delta : '');
  got.response_stream = deltas.join('');
  got.models = (await collect(await api.models.list(), (m) => m.id)).sort();
  got.model = (await api.models.retrieve('small')).id;
  return got;
}

async function failure(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}

async function errors() {
  const api = make();
  const got = {};
  const name = async (call) => (await failure(call)).constructor.name;
  for (const word of ['bad', 'missing', 'busy', 'broken'])
    got[word] = await name(() => api.chat.completions.create(say(word)));
  got.model = await name(() => api.chat.completions.create({ ...say('hello'), model: 'none' }));
  got.key = await name(() => make({ apiKey: 'bad' }).chat.completions.create(say('hello')));
  for (let i = 0; i < 2; ++i) await api.chat.completions.create(say('hello'));
  const refused = await failure(() => api.chat.completions.create(say('hello')));
  got.limit = refused.constructor.name;
  got['limit code'] = refused.code;
  return got;
}

async function patience() {
  const api = make({ maxRetries: 2 });
  let answers = 0;
  for (let i = 0; i < 3; ++i)
    answers += (await api.chat.completions.create(say('hello'))).choices.length;
  return { answers };
}

async function hopeless() {
  const api = make({ maxRetries: 2 });
  for (let i = 0; i < 6; ++i) await api.chat.completions.create(say('hello'));
  return { failed: (await failure(() => api.chat.completions.create(say('hello')))).constructor.name };
}

async function broken() {
  const api = make();
  const error = await failure(async () => {
    const stream = await api.chat.completions.create({ ...say('hello'), stream: true });
    await collect(stream, () => 0);
  });
  return { failed: error instanceof Error };
}

const programs = { everything, errors, patience, hopeless, broken };
console.log(JSON.stringify(await programs[process.argv[2]]()));
