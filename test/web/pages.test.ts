import { browserTests } from './browser-tests.ts';
import { emptyBehaviour } from './empty-behaviour.ts';
import { pageBehaviour } from './page-behaviour.ts';
import { requestBehaviour } from './request-behaviour.ts';
import { workflowBehaviour } from './workflow-behaviour.ts';

browserTests({
  'pages of an unused server': emptyBehaviour,
  pages: pageBehaviour,
  'views of a workflow': workflowBehaviour,
  'pages about requests, sites and workers': requestBehaviour,
});
