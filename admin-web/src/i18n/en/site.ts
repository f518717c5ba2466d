export const site = {
  news: {
    line: 'Short posts on the site, in both languages',
    add: 'New post',
    create: 'Create a draft',
    headingRu: 'Heading in Russian',
    headingEn: 'Heading in English',
    addressHelp: '/news/%{slug}. Lower-case Latin letters, digits and hyphens; it cannot be changed later.',
    none: 'There are no posts yet',
    noneText: 'The page of news and its link appear with the first published post.',
    post: 'Post',
    states: {
      draft: 'Draft',
      published: 'Published',
    },
    savedBy: 'Saved by',
    back: 'All news',
    save: 'Save the draft',
    update: 'Publish the changes',
    withdraw: 'Withdraw',
    saved: {
      draft: 'The draft is saved; the site does not show it',
      published: 'The post is on the site',
    },
  },
  waitlist: {
    tab: 'Waiting visitors',
    list: 'What is shown',
    waiting: 'Waiting',
    forRate: 'of them for a rate',
    people: 'Wait for %{currency}: %{count}',
    none: 'Nobody waits for a direction',
    noneText:
      'Visitors leave their address on the page of a direction, and get one email when it is available. Here you see how many, not who.',
  },
};
