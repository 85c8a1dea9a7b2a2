#ifndef CSYSTEM_H
#define CSYSTEM_H

// What Swift cannot reach on every platform. Each function says what it stands in for.

#endif
