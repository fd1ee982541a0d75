/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keys and tokens for tests. These private keys are public: never use them. */
#ifndef I3_KEYS_H
#define I3_KEYS_H

static const char key_private[] =
	"-----BEGIN PRIVATE KEY-----\n"
	"MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQD165Caytps1w0F\n"
	"wSF8Vf7yWCGpv5aVubKqD1uhKEfScSnaNhKMZn7CW7GBFfTz3AO5vKFi7jZT7+zT\n"
	"Ra3/mg6d0aCUs9PJCQ87Fe4BbH2x6M6+ZloYksLElbEBw7PTBcgbhaxz84A7xraB\n"
	"JJCr3jWMhxVilTJv/IFnY/OYOMqWigBf4FR7bR3KJL51BXT4Zlp8dx0iJwPah/Wn\n"
	"03ywEEe/YzpL3Hqi8YwLP/Pae1EvGZspDG9S3lmyz4YV/kkddz5ewimCik9er4RC\n"
	"MS1ejW/ZFh4SonTDF7DIiVPYHhVcQBqL/cJFuJe8YFsTmJW+UNAZBBEd3Chv1kqK\n"
	"vw0bfhAzAgMBAAECggEADcCjsJRhjK6mEslPJxXkEQdusoB9WlgtLqd3N1b6VUFw\n"
	"1rwpY2Kj+hiIn7Brp2uJZcyvtcmejikftFz0MxQZdyfu9AHueRKhoGtEiR3ZFabw\n"
	"UOOGbFNgwv+gC3o3RzjOjQN3tnBKno0pTaWO1Z2ynu46+u1fCbY0QmTrjXq3kZ2A\n"
	"AIKW2nopAMvGavHs4dxbsrtDkuQxY1RiyTjqIzN46iU9FtngmfqON8m5fxyK/qtu\n"
	"NOhGAMYlH/fx8Qr22RgEMp/FB3UHE0xuCzd5hyWRfZSewETJTeBfNyGjYWRVBC8V\n"
	"TEpcmeHh4w64TN/6gtUHmAUgbv6Xo5vAu4rBgUCdMQKBgQD/WrPiryHo4FzhqfaS\n"
	"e2WHKzPz8gh7DB1X2XAtV53ktfz+8zMnS7j2dgX1uByg4qPy5KKbApOwAqBw+Rlm\n"
	"3kzCRDUUJD6rgJRQikZo7DQXY7igpnuF5d4Z1pafY9WrwnGO+zm3RWrSSkwtdv2O\n"
	"ZakkdkVJQXvAzQzGUcACMFxtOQKBgQD2isFW1NCERArVaJ2ZplZsJI+gD8uIfYvJ\n"
	"fWIHCvDOod78Z8BYK5+rSEGEQfB1QriDJ0CfyH44GrM+rKbdWmq58i4cney/J/jh\n"
	"vUJghJK3uS6HEcxv+GtQ/XvI2SqO3VhBbbmSs9qsuRLlWGmeKmBkze6YokJ2/SVG\n"
	"hkk4UgMUywKBgHgpvqzVrSdhLVQkHxwfZU+OTQxmwQbmVIiakedEa9DMsxlmaJP9\n"
	"VjTkpTlUQmSTQoNyg/Jd7BHPqqB/GC0IPybL4g5wX+1kvGaKK0gEnx7ClodC0K3Z\n"
	"1gJisM6gtFP3VGjsX+SWjgYXYHGkpPz1afr2jPREFHBODczle22MRHJBAoGBAPXI\n"
	"OJzPBp2Fk+NTKyK9kBS5kjG47WjB+HTDudFZl933w+yPplKAEurX2vD2J7lO7dFa\n"
	"dXOVljdqbt2Bk8zC0flUNaIz0oxzVgv9+MluATKFu5vOI6hQ2PPh8OC3l1Tb15tK\n"
	"vyFAijV9QBhCPvD+QCDeqAmkYWxsTBf10dMC961nAoGBAN9Dac6ktUQPHcLLAN6m\n"
	"bNIIzhD2HifgOKUzrKUqKl9d55rJw4oewv0ImvGHASQtf1mKcbKx8BWNPIjFtZge\n"
	"gnsn/CW/E/GPWSCrZHZ8HV1U+fQNcgm/ssPRkyFJWEMGL/SsyGBX/6j6NRJCSpEa\n"
	"TQ0LuP8CL/RRd8AJOAavd7xG\n"
	"-----END PRIVATE KEY-----\n";

static const char key_public[] =
	"-----BEGIN PUBLIC KEY-----\n"
	"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA9euQmsrabNcNBcEhfFX+\n"
	"8lghqb+Wlbmyqg9boShH0nEp2jYSjGZ+wluxgRX089wDubyhYu42U+/s00Wt/5oO\n"
	"ndGglLPTyQkPOxXuAWx9sejOvmZaGJLCxJWxAcOz0wXIG4Wsc/OAO8a2gSSQq941\n"
	"jIcVYpUyb/yBZ2PzmDjKlooAX+BUe20dyiS+dQV0+GZafHcdIicD2of1p9N8sBBH\n"
	"v2M6S9x6ovGMCz/z2ntRLxmbKQxvUt5Zss+GFf5JHXc+XsIpgopPXq+EQjEtXo1v\n"
	"2RYeEqJ0wxewyIlT2B4VXEAai/3CRbiXvGBbE5iVvlDQGQQRHdwob9ZKir8NG34Q\n"
	"MwIDAQAB\n"
	"-----END PUBLIC KEY-----\n";

/* RSA of 1024 bits: room for 86 bytes with OAEP, 117 with PKCS #1. */
static const char key_small_public[] =
	"-----BEGIN PUBLIC KEY-----\n"
	"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDZJD7MeaoEAyIVBNHpcE8N8PXY\n"
	"rK6vq5nnu4RAkeMA2LQcroZd/4/eZzVBhVNLGnAh7358DSqKzEc63ysLn6FGyXZV\n"
	"ATcVlIy+TiI3IWP0A331niBaYLWTa5Y4XtOALfqWQxcvl0QXwNcpEbZj4qfSxqXb\n"
	"N8vGLrdDk/GHZ/5BmwIDAQAB\n"
	"-----END PUBLIC KEY-----\n";

static const char key_small_private[] =
	"-----BEGIN PRIVATE KEY-----\n"
	"MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBANkkPsx5qgQDIhUE\n"
	"0elwTw3w9disrq+rmee7hECR4wDYtByuhl3/j95nNUGFU0sacCHvfnwNKorMRzrf\n"
	"KwufoUbJdlUBNxWUjL5OIjchY/QDffWeIFpgtZNrljhe04At+pZDFy+XRBfA1ykR\n"
	"tmPip9LGpds3y8Yut0OT8Ydn/kGbAgMBAAECgYAjtdxGEHQveLxwLHzBIWE+77Pe\n"
	"0HdiGJyVCbe0TsnAZ+MnHGSorNDiSKLvhZevMEfkrNhmWlv2u6WzPuR7YuNIzWCY\n"
	"Z8gZg84DctIkAUaNcrCiEQI7SME+RTbDbhs9TzqR179EJS0eJpT2rPKbmk1MrSAX\n"
	"B6gJGSy89aGMk2TCQQJBAPJ2O+Eh329nz2yUm6UKFBIONval79DoQd0oKRn+qFGi\n"
	"A3EM+mMt3jqIiSje0+6omfb5nwdU12881stOHSyk/ZECQQDlRBTvndmoH94v8d57\n"
	"AfmQ28x8hv92wTppNagqBe3L6ZQMTRikmB36tqEBFhCSo7Sk/u+qhmaq0Vq5L/mT\n"
	"uOZrAkBtfm90L/PTP7Iwerv/QBnoPXscz7sJQJnd4fENyC8DDoM3XoEEoQYmsNog\n"
	"FuDmekVtfzUN/oZ7uaHWliQesTPBAkAmvy7aoE7cvyYJ7FKxb1ACT2Nr2FTseROq\n"
	"HEtjbsUVpVBEE/OKPbszWBI14MjEP66UBBH1O+m2DNPMYHNJqAIpAkAI1PccmZM0\n"
	"oiwM8CsuOe3eJHHWs72Vmh/jblYeSbPQxYLVu+82IOdCZc030jvl86G9YFnRDssT\n"
	"+xQCvQW8Bz31\n"
	"-----END PRIVATE KEY-----\n";

/* P-256: no RSA key. */
static const char key_ec_public[] =
	"-----BEGIN PUBLIC KEY-----\n"
	"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjzF98y2ItnEFISoGQA3ztCOg6cGt\n"
	"PXGo7jVFiBkzssNsNOayIjxNeXTbeECoRhQyYIQGD1oxHah8CU8f1xM+vA==\n"
	"-----END PUBLIC KEY-----\n";

/* user "anna", password "secret", made by iperf3 3.12 at 1796074757. */
static const char token_pkcs1[] =
	"l2z36YOxdclOF+syjCZaA0YVZwN5EmdhwASKs+2DV/oD/JP2liC3POjhYKro3nMiyt7x4qdCDGHH"
	"GM3caaTLDF7rFqmxvjzP85Ew/AK7br6eS2PhJVc6oCVu8LdZ0wHi8BEivuXSdOdMe8uz+DFQ/T6d"
	"wkwKuX//IZaczd7W5B5pl44Ib89tRW4LRK9sPV2jF42tl7zumFLZljCGD8uvmlJuQNhc0XDQT/60"
	"wrsQDi6WEj26ntoBAo3VGeeFu5cvbGMDEpY8Yil8MCyfjHLh9udKLIhafbceulO8i7m7KILg+322"
	"hGOWCaks0eAfg9B7Iq89N29MnvxKHqRvYiLPvw==";

/* The same at 1700000000 with OAEP, made by openssl-pkeyutl(1). */
static const char token_oaep[] =
	"4kC4rH/owKLA/MeAPtJe37eXFGXrR3hbYD9GmO4YiYgoHjf9dkIoEFZ83DCJTcRC8ywa1UKlG+aR"
	"bXuiRSOBsaEw6EpW4iU/dkS0fXkzfjD02W+VkvVFBqrMusqZYdO3iG4rY0hU9eW7UALj240hrdDv"
	"uUlM7Gjt4rC5sdYDEUA/PFTktyR5aHN34QWNkBQ8LYNtZFmZEz5635dVJG3av45pWuC15gBKTfHc"
	"ANPwREXpizs1N1PGjUEric7/IM56icepEg+xtJMU1BrKko5Rf8DzVxqnavhgoj/+ALz3Myml7xJ1"
	"VtzC5AHUQ8gNDfjIXXP05TxQIBq8/KzCi+nItQ==";

#endif
